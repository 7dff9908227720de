# SPDX-License-Identifier: GPL-2.0-or-later
#
# To be sourced, after tests/tap.sh.

# make_fakes FOLDER LOG: creates stand-ins for programs that a build from the tarball must not need. Each logs its call to LOG and fails.
make_fakes() {
	local name
	mkdir -p "$1"
	for name in git node npm npx curl wget; do
		printf '#!/bin/sh\necho "%s $*" >>"%s"\nexit 127\n' "$name" "$2" >"$1/$name"
		chmod 755 "$1/$name"
	done
}
