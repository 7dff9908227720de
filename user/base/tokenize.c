// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/tokenize.h"

#include <string.h>

char *tokenize_line(char **text)
{
	char *line = *text, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = 0;
	return line;
}

char *tokenize_word(char **line)
{
	char *word = *line + strspn(*line, CUT_BLANKS);
	size_t len = strcspn(word, CUT_BLANKS);

	*line = word + len + (word[len] != 0);
	word[len] = 0;
	return len ? word : NULL;
}

gboolean tokenize_number(char **line, int base, guint64 *number)
{
	char *end;

	if (!g_ascii_isxdigit(**line))
		return FALSE;
	errno = 0;
	*number = g_ascii_strtoull(*line, &end, base);
	if (errno || *end != ' ')
		return FALSE;
	*line = end + 1;
	return TRUE;
}
