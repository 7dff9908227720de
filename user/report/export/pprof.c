// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile: protobuf in gzip. A frame of the tree is a function and a location of the same
 * number, and each stack is a sample with a value for each metric.
 */
#include <string.h>
#include <zlib.h>

#include "base/escape.h"
#include "base/seed.h"
#include "report/export/formats.h"
#include "report/export/pprof.pb-c.h"
#include "trace/event/kind.h"

typedef struct {
	const CallCosts *data;
	Kmt__Pprof__Profile profile;
	GPtrArray *strings; /* in the order of their numbers */
	GHashTable *string_numbers;
	GHashTable *mappings;        /* module's string to mapping */
	GPtrArray *kept[6];          /* messages, in the order of Profile's fields; and lines */
	guint metrics[CALL_METRICS]; /* of the values of a sample */
	guint metric_count;
} Maker;

enum { TYPES, SAMPLES, MAPPINGS, LOCATIONS, FUNCTIONS, OTHERS };

static gint64 string_of(Maker *maker, const char *text)
{
	gpointer found;
	char *valid;

	if (g_hash_table_lookup_extended(maker->string_numbers, text, NULL, &found))
		return GPOINTER_TO_INT(found);
	valid = escape_text(text); /* pprof prints it to a terminal */
	g_ptr_array_add(maker->strings, valid);
	g_hash_table_insert(maker->string_numbers, g_strdup(text),
			    GINT_TO_POINTER(maker->strings->len - 1));
	return maker->strings->len - 1;
}

/* Allocates zeroed memory that lives as long as @maker, in its list @kind. */
static gpointer keep(Maker *maker, guint kind, gsize bytes)
{
	gpointer memory = g_malloc0(bytes);

	g_ptr_array_add(maker->kept[kind], memory);
	return memory;
}

static void add_types(Maker *maker, CallMetric shown)
{
	for (guint i = 0; i < CALL_METRICS; i++) {
		const CallMetricNames *metric = callmetric_of(i);
		Kmt__Pprof__ValueType *type;
		const char *unit = i == CALL_BYTE_MS    ? "byte-milliseconds"
				   : i == CALL_LIVED_US ? "microseconds"
				   : metric->bytes      ? "bytes"
							: "count";

		if (!(call_costs_metrics(maker->data) & CALL_METRICS_BIT(i)))
			continue;
		type = keep(maker, TYPES, sizeof(*type));
		kmt__pprof__value_type__init(type);
		type->type = string_of(maker, metric->name);
		type->unit = string_of(maker, unit);
		maker->metrics[maker->metric_count++] = i;
	}
	maker->profile.default_sample_type = string_of(maker, callmetric_of(shown)->name);
}

static guint64 mapping_of(Maker *maker, guint32 frame)
{
	const char *module = call_costs_module(maker->data, frame);
	gint64 name = string_of(maker, module ? module : "[kernel]");
	gpointer found = g_hash_table_lookup(maker->mappings, GINT_TO_POINTER((gint)name));
	Kmt__Pprof__Mapping *mapping;

	if (found)
		return GPOINTER_TO_UINT(found);
	mapping = keep(maker, MAPPINGS, sizeof(*mapping));
	kmt__pprof__mapping__init(mapping);
	mapping->id = maker->kept[MAPPINGS]->len;
	mapping->filename = name;
	mapping->has_functions = TRUE;
	g_hash_table_insert(maker->mappings, GINT_TO_POINTER((gint)name),
			    GUINT_TO_POINTER((guint)mapping->id));
	return mapping->id;
}

/* Adds a function. Frame 0, the root, is in no sample; numbers of pprof must not be 0. */
static void add_function(Maker *maker, guint32 frame)
{
	const CallPlace *place = call_costs_place(maker->data, frame);
	Kmt__Pprof__Function *function = keep(maker, FUNCTIONS, sizeof(*function));
	Kmt__Pprof__Location *location = keep(maker, LOCATIONS, sizeof(*location));
	Kmt__Pprof__Line *line = keep(maker, OTHERS, sizeof(*line));

	kmt__pprof__function__init(function);
	kmt__pprof__location__init(location);
	kmt__pprof__line__init(line);
	function->id = location->id = line->function_id = frame;
	function->name = function->system_name =
		string_of(maker, call_costs_function(maker->data, frame));
	function->filename = string_of(maker, place->file ? place->file : "");
	line->line = place->line;
	location->mapping_id = mapping_of(maker, frame);
	location->line = keep(maker, OTHERS, sizeof(*location->line));
	location->line[0] = line;
	location->n_line = 1;
}

static void add_sample(Maker *maker, const CallNode *node, const GArray *path, gboolean callers,
		       Kmt__Pprof__Label **label)
{
	Kmt__Pprof__Sample *sample = keep(maker, SAMPLES, sizeof(*sample));

	kmt__pprof__sample__init(sample);
	sample->n_location_id = path->len;
	sample->location_id = keep(maker, OTHERS, (path->len + 1) * sizeof(*sample->location_id));
	for (guint i = 0; i < path->len; i++)
		sample->location_id[i] =
			g_array_index(path, guint32, callers ? i : path->len - 1 - i);
	sample->n_value = maker->metric_count;
	sample->value = keep(maker, OTHERS, sizeof(*sample->value) * CALL_METRICS);
	for (guint i = 0; i < maker->metric_count; i++)
		sample->value[i] = node->self.of[maker->metrics[i]];
	sample->n_label = 1;
	sample->label = label;
}

/* Adds a sample for each stack. They do not depend on the direction of the tree. */
static void add_samples(Maker *maker, const CallTree *tree, guint kind, gboolean callers)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	Kmt__Pprof__Label **label = keep(maker, OTHERS, sizeof(*label));

	label[0] = keep(maker, OTHERS, sizeof(**label));
	kmt__pprof__label__init(label[0]);
	label[0]->key = string_of(maker, "kind");
	label[0]->str = string_of(maker, trace_kind_names[kind]);
	for (guint32 i = 1; i < calltree_count(tree); i++) {
		const CallNode *node = calltree_node(tree, i);

		if (callcost_is_zero(&node->self))
			continue;
		export_path(tree, i, path);
		add_sample(maker, node, path, callers, label);
	}
}

static void maker_init(Maker *maker, const CallCosts *data)
{
	maker->data = data;
	kmt__pprof__profile__init(&maker->profile);
	maker->strings = g_ptr_array_new_with_free_func(g_free);
	maker->string_numbers = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	maker->mappings = g_hash_table_new(seed_number, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(maker->kept); i++)
		maker->kept[i] = g_ptr_array_new_with_free_func(g_free);
	string_of(maker, "");
}

static void maker_clear(Maker *maker)
{
	g_ptr_array_unref(maker->strings);
	g_hash_table_unref(maker->string_numbers);
	g_hash_table_unref(maker->mappings);
	for (guint i = 0; i < G_N_ELEMENTS(maker->kept); i++)
		g_ptr_array_unref(maker->kept[i]);
}

/* Packs the lists into a profile. For g_bytes_unref(). */
static GBytes *pack(Maker *maker)
{
	Kmt__Pprof__Profile *profile = &maker->profile;
	gsize len;
	guint8 *bytes;

	profile->n_sample_type = maker->kept[TYPES]->len;
	profile->sample_type = (gpointer)maker->kept[TYPES]->pdata;
	profile->n_sample = maker->kept[SAMPLES]->len;
	profile->sample = (gpointer)maker->kept[SAMPLES]->pdata;
	profile->n_mapping = maker->kept[MAPPINGS]->len;
	profile->mapping = (gpointer)maker->kept[MAPPINGS]->pdata;
	profile->n_location = maker->kept[LOCATIONS]->len;
	profile->location = (gpointer)maker->kept[LOCATIONS]->pdata;
	profile->n_function = maker->kept[FUNCTIONS]->len;
	profile->function = (gpointer)maker->kept[FUNCTIONS]->pdata;
	profile->n_string_table = maker->strings->len;
	profile->string_table = (char **)maker->strings->pdata;
	len = kmt__pprof__profile__get_packed_size(profile);
	bytes = g_malloc(len + 1);
	kmt__pprof__profile__pack(profile, bytes);
	return g_bytes_new_take(bytes, len);
}

#define OS_UNIX 3 /* RFC 1952 */

/*
 * Compresses with gzip, without a time, so that the same profile has the same bytes. The comment
 * identifies it as ours.
 */
static gboolean print_packed(GBytes *packed, FILE *out, GError **error)
{
	gz_header header = { .os = OS_UNIX, .comment = (Bytef *)"kmemtrace" };
	z_stream stream = { 0 };
	g_autofree guint8 *buffer = NULL;
	gsize len, bound;

	if (g_bytes_get_size(packed) > G_MAXUINT32 / 2 ||
	    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return store_fail(error, "the profile is too large to be packed");
	deflateSetHeader(&stream, &header);
	bound = deflateBound(&stream, g_bytes_get_size(packed));
	buffer = g_malloc(bound);
	stream.next_in = (Bytef *)g_bytes_get_data(packed, &len);
	stream.avail_in = len;
	stream.next_out = buffer;
	stream.avail_out = bound;
	deflate(&stream, Z_FINISH);
	fwrite(buffer, 1, stream.total_out, out);
	deflateEnd(&stream);
	return TRUE;
}

gboolean export_pprof(const Export *export, GError **error)
{
	g_autoptr(CallCosts) data = export_read(export, 0, error);
	guint kind = data ? export_kind(export, data, error) : TRACE_KINDS;
	g_autoptr(CallTree) tree = NULL;
	g_autoptr(GBytes) packed = NULL;
	Maker maker = { 0 };
	int64_t comments[2];

	if (kind == TRACE_KINDS)
		return FALSE;
	tree = call_costs_tree(data, kind, &export->options->view);
	maker_init(&maker, data);
	add_types(&maker, export->options->metric);
	for (guint32 i = 1; i <= call_costs_frames(data); i++)
		add_function(&maker, i);
	add_samples(&maker, tree, kind, export->options->view.callers);
	comments[0] = string_of(&maker, export->name);
	comments[1] = string_of(&maker, export->completeness);
	maker.profile.comment = comments;
	maker.profile.n_comment = 2;
	packed = pack(&maker);
	maker_clear(&maker);
	return print_packed(packed, export->out, error);
}
