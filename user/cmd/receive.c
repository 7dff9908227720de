// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user receive: receive a trace from a recorder on another machine. */
#include "capture/net/receive.h"

#include <string.h>

#include "base/units.h"
#include "capture/recording/output.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"

#define LOOPBACK "127.0.0.1"

/* Prints the address even without a terminal: with port 0 the user needs the number. */
static void say_listening(const char *address, guint port)
{
	message("receiving on %s, port %u", address, port);
}

static void say_connected(const char *peer)
{
	message("%s has connected", peer);
}

static void say_ignored(const char *peer, const char *why)
{
	message("%s was ignored: %s", peer, why);
}

/* Parses "PORT", "ADDRESS:PORT" or "[ADDRESS]:PORT". Cuts the address out of @text. */
static gboolean parse_listen(char *text, ReceiveOptions *options)
{
	char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	guint64 port;

	if (!g_ascii_string_to_unsigned(number, 10, 0, G_MAXUINT16, &port, NULL)) {
		message("invalid --listen '%s' (expected PORT or ADDRESS:PORT)", text);
		return FALSE;
	}
	options->port = port;
	if (!colon)
		return TRUE;
	*colon = 0;
	if (*text == '[' && colon > text && colon[-1] == ']') {
		colon[-1] = 0;
		text++;
	}
	options->address = text;
	return TRUE;
}

static int say_received(const ReceiveOptions *options, const ReceiveResult *result)
{
	g_autofree char *size = units_format_size(result->bytes);

	if (result->complete)
		message("received %s (%s)", options->path, size);
	else
		message("INCOMPLETE: the connection ended before the trace; %s has what was received (%s)",
			options->path, size);
	return result->complete ? EXIT_FINE : EXIT_INCOMPLETE;
}

int cmd_receive(int argc, char **argv)
{
	g_autofree char *output = NULL, *listen = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write the trace to FILE (default " CMD_DEFAULT_TRACE ")", "FILE" },
		{ "listen", 'l', 0, G_OPTION_ARG_STRING, &listen,
		  "Address to listen on (default " LOOPBACK ":7077)", "[ADDRESS:]PORT" },
		G_OPTION_ENTRY_NULL
	};
	ReceiveOptions options = {
		.address = LOOPBACK,
		.port = OUTPUT_PORT,
		.listening = say_listening,
		.connected = say_connected,
		.ignored = say_ignored,
	};
	ReceiveResult result;
	GError *error = NULL;
	gboolean fine;

	if (!options_parse(entries, "",
			   "Receive the trace of a recorder on another machine, and write it to a "
			   "file. Anybody who can connect can send a trace: the default is to "
			   "listen on the loopback interface only.",
			   &argc, &argv) ||
	    !options_no_argument(argc, argv) || (listen && !parse_listen(listen, &options)))
		return EXIT_USAGE;
	options.path = output ? output : CMD_DEFAULT_TRACE;
	fine = receive_trace(&options, &result, &error);
	if (fine)
		return say_received(&options, &result);
	if (result.chunks)
		say_received(&options, &result);
	return message_failed(error);
}
