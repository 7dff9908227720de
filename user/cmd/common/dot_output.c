// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/message.h"
#include "cmd/common/dot_output.h"

#include <stdlib.h>

#include "cmd/common/default_file.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/output_file.h"
#include "report/select/select.h"

typedef struct {
	Printer *printer;
	CallDot dot;
	CallDotNotes notes;
} Printing;

static FILE *open_memory(char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		g_error("no memory for an answer");
	return out;
}

/* Returns the head of the output as a text, for free() in any case. */
static gboolean read_head(Printer *printer, char **head, GError **error)
{
	size_t len;
	gboolean fine;

	printer->out = open_memory(head, &len);
	fine = printer_begin(printer, error);
	fclose(printer->out);
	return fine;
}

/* Prints the graph only when it is complete: an error leaves no partial graph. */
static gboolean print(gpointer data, FILE *out, GError **error)
{
	Printing *printing = data;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memory(&text, &len);
	gboolean fine = calldot_print(printing->printer->db, &printing->dot, memory,
				      &printing->notes, error);

	fclose(memory);
	if (fine)
		fwrite(text, 1, len, out);
	free(text);
	return fine;
}

static void say_notes(const CallDotNotes *notes, const char *head)
{
	fputs(head, stderr);
	if (notes->costs)
		message("%s", notes->costs);
	if (*notes->others)
		message("the graph shows one kind of memory; others have graphs of their own: --kind %s",
			notes->others);
}

static gboolean print_all(Printer *printer, const DotOutput *asked, GError **error)
{
	char *head = NULL;
	Printing printing = { .printer = printer };
	gboolean fine = read_head(printer, &head, error);

	printing.dot = (CallDot){ asked->options, head, asked->chosen };
	fine = fine && output_file_write(asked->path, "dot", printer->db, print, &printing, error);
	if (fine)
		say_notes(&printing.notes, head);
	calldot_clear_notes(&printing.notes);
	free(head);
	return fine;
}

int dot_output_print(int argc, char **argv, const DotOutput *asked)
{
	const char *path = default_file_or_argument(argc, argv, DEFAULT_ANY);
	g_autoptr(StoreDb) db = NULL;
	g_auto(Printer) printer = { .selection = asked->selection };
	GError *error = NULL;

	if (!path)
		return EXIT_USAGE;
	printer.db = db = input_open(path, &error);
	printer.name = path;
	if (!db || !srcline_open(asked->srcline, db, &error) ||
	    !select_restrict(db, asked->selection, &error) || !print_all(&printer, asked, &error))
		return message_failed(error);
	return completeness_is_incomplete(&printer.completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}
