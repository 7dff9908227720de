#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Puts kmemtrace into a kernel tree, or takes it out; usage() tells how.
set -eu

usage() {
	cat <<'END'
usage: graft.sh [--remove] TREE

Puts kmemtrace into the kernel tree TREE, 6.1 to 6.12: its sources in mm/kmemtrace, a header, an
option in mm/Kconfig, a line in mm/Makefile, and a call in start_kernel() behind the one that sets up
the allocators. What is there already is left alone, and what differs is replaced; a second run
changes nothing. --remove takes all of it out again.

Then: make menuconfig ("Kernel memory allocation tracer", below Memory Management options), or
scripts/config -e KMEMTRACE; and kmemtrace.enable=1 on the kernel's command line.
END
}

die() {
	echo "graft.sh: $*" >&2
	exit 1
}

here=$(dirname "$(readlink -f "$0")")
mark='kmemtrace: grafted'

# write FILE: standard input becomes its content, if it's another one.
write() {
	cat >"$1.new"
	if cmp -s "$1.new" "$1"; then
		rm "$1.new"
	else
		# Keeps its mode and owner.
		cat "$1.new" >"$1"
		rm "$1.new"
	fi
}

without_marked() {
	grep -v "$mark" "$1" | write "$1"
}

# Where the header and the abi lie: beside each other in a release, apart in the repository.
find_abi() {
	for abi in "$here/kmemtrace_abi.h" "$here/../../abi/kmemtrace_abi.h"; do
		[ ! -r "$abi" ] || return 0
	done
	die "kmemtrace_abi.h is neither beside graft.sh nor in ../../abi"
}

copy() {
	if ! cmp -s "$1" "$2"; then
		cp "$1" "$2"
	fi
}

copy_sources() {
	mkdir -p "$tree/mm/kmemtrace"
	for file in "$here"/*.c "$here"/*.h "$here/Kbuild" "$here/Kconfig" "$abi"; do
		[ "${file##*/}" != early.h ] || continue
		copy "$file" "$tree/mm/kmemtrace/${file##*/}"
	done
	# Files that an older version had.
	for file in "$tree"/mm/kmemtrace/*.[ch]; do
		name=${file##*/}
		[ -e "$here/$name" ] || [ "$name" = kmemtrace_abi.h ] || rm "$file"
	done
	copy "$here/early.h" "$tree/include/linux/kmemtrace.h"
}

# The call that sets the allocators up: mm_init() up to 6.3, then mm_core_init().
find_call() {
	for call in mm_core_init mm_init; do
		[ "$(grep -c "^	$call();\$" "$tree/init/main.c")" != 1 ] || return 0
	done
	die "$tree/init/main.c: no call of mm_core_init() or mm_init() alone on a line"
}

put_in() {
	find_abi
	find_call
	grep -q '^endmenu$' "$tree/mm/Kconfig" || die "$tree/mm/Kconfig: no line 'endmenu'"
	copy_sources
	awk -v mark="$mark" '
		{ line[NR] = $0 }
		$0 == "endmenu" { last = NR }
		END {
			for (i = 1; i <= NR; i++) {
				if (line[i] ~ mark)
					continue
				if (i == last)
					print "source \"mm/kmemtrace/Kconfig\" # " mark
				print line[i]
			}
		}' "$tree/mm/Kconfig" | write "$tree/mm/Kconfig"
	{
		grep -v "$mark" "$tree/mm/Makefile"
		echo "obj-\$(CONFIG_KMEMTRACE) += kmemtrace/ # $mark"
	} | write "$tree/mm/Makefile"
	awk -v mark="$mark" -v call="	$call();" '
		$0 ~ mark { next }
		{ print }
		/^#include <linux\// && !included++ { print "#include <linux/kmemtrace.h> /* " mark " */" }
		$0 == call { print "	kmemtrace_init_early(); /* " mark " */" }' \
		"$tree/init/main.c" | write "$tree/init/main.c"
	[ "$(grep -c "$mark" "$tree/init/main.c")" = 2 ] ||
		die "$tree/init/main.c: no line '#include <linux/…>' to put another behind"
}

take_out() {
	for file in mm/Kconfig mm/Makefile init/main.c; do
		without_marked "$tree/$file"
	done
	rm -rf "$tree/mm/kmemtrace"
	rm -f "$tree/include/linux/kmemtrace.h"
}

action=put_in
case ${1:-} in
-h | --help)
	usage
	exit 0
	;;
--remove)
	action=take_out
	shift
	;;
-*)
	usage >&2
	exit 2
	;;
esac
if [ $# -ne 1 ]; then
	usage >&2
	exit 2
fi
tree=$1
for file in mm/Kconfig mm/Makefile init/main.c include/linux; do
	[ -e "$tree/$file" ] || die "$tree is no kernel tree: it has no $file"
done
$action
