# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion of kmemtrace-user for bash. Commands and options are what --help lists.

_kmemtrace_user_commands() {
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'
}

# _kmemtrace_user_options TOOL COMMAND
_kmemtrace_user_options() {
	"$1" "$2" --help 2>/dev/null | sed -nE 's/^  (-[A-Za-z], )?(--[a-z][a-z-]*).*/\2/p'
}

_kmemtrace_user_queries() {
	"$1" query --list 2>/dev/null | sed -nE 's/^([a-z][a-z-]*) .*/\1/p'
}

# _kmemtrace_user_list WORD NAME…: the last of WORD's names, which are separated by commas.
_kmemtrace_user_list() {
	local word=$1 before=''
	shift
	case $word in
	*,*) before=${word%,*}, ;;
	esac
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${word##*,}")
	compopt -o nospace 2>/dev/null || true	# another name may follow
}

# _kmemtrace_user_by TOOL COMMAND: what it tells holders by.
_kmemtrace_user_by() {
	local name help
	help=$("$1" "$2" --help 2>/dev/null | grep -e '--by=' | tr -c 'a-z' ' ')
	for name in stack site module cache task kind function; do
		[[ $help != *" $name "* ]] || echo "$name"
	done
}

# _kmemtrace_user_paths: the completions are paths, whose names bash is to quote: anybody can choose them.
_kmemtrace_user_paths() {
	compopt -o filenames 2>/dev/null || true
}

# _kmemtrace_user_files WORD: traces, databases, and folders to look for them in.
_kmemtrace_user_files() {
	local name
	compgen -f -X '!*.kmt' -- "$1"
	compgen -f -X '!*.db' -- "$1"
	while IFS= read -r name; do
		case ${name##*/} in
		.*) case ${1##*/} in .*) echo "$name" ;; esac ;;
		*) [[ $name == *.kmt || $name == *.db ]] || echo "$name" ;;
		esac
	done < <(compgen -d -- "$1")
}

# _kmemtrace_user_names WORD: those lines of input that begin with WORD, quoted. (compgen -W would run what is in them.)
_kmemtrace_user_names() {
	local name
	while IFS= read -r name; do
		[[ $name != "$1"* ]] || printf '%q\n' "$name"
	done
}

# _kmemtrace_user_value OPTION WORD TOOL COMMAND: what may be its value; 1 if it takes none that is known.
_kmemtrace_user_value() {
	case $1 in
	-e | --event) _kmemtrace_user_list "$2" slab page percpu vmalloc frag buddy ;;
	-p | --pid) _kmemtrace_user_list "$2" $(cd /proc && compgen -G '[0-9]*') ;;
	-G | --cgroup) mapfile -t COMPREPLY < <(cd "${KMEMTRACE_CGROUP:-/sys/fs/cgroup}" 2>/dev/null && compgen -d -- "${2#/}" |
		_kmemtrace_user_names "${2#/}") ;;
	--cache) mapfile -t COMPREPLY < <(find "${KMEMTRACE_SLAB:-/sys/kernel/slab}" -mindepth 1 ! -name ':*' -printf '%f\n' 2>/dev/null |
		_kmemtrace_user_names "$2") ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$2" | _kmemtrace_user_names "$2") ;;
	--sample) mapfile -t COMPREPLY < <(compgen -W "2 4 8 16 32 64 128 256 512 1024" -- "$2") ;;
	-z | --compression-level) mapfile -t COMPREPLY < <(compgen -W "0 1 3 9 19" -- "$2") ;;
	--metric) mapfile -t COMPREPLY < <(compgen -W "bytes count live live-count peak peak-count waste temporary byte-seconds lived" -- "$2") ;;
	-f | --format) mapfile -t COMPREPLY < <(compgen -W "folded speedscope pprof dhat perfetto csv" -- "$2") ;;
	--fold) mapfile -t COMPREPLY < <(compgen -W "module subsystem" -- "$2") ;;
	--by) mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_by "$3" "$4")" -- "$2") ;;
	--shape) mapfile -t COMPREPLY < <(compgen -W "linear plateau sawtooth freed_at_end late steady orphaned" -- "$2") ;;
	--cross) mapfile -t COMPREPLY < <(compgen -W "cpu task node" -- "$2") ;;
	-k | --kind) mapfile -t COMPREPLY < <(compgen -W "slab page percpu vmalloc" -- "$2") ;;
	--per) mapfile -t COMPREPLY < <(compgen -W "total second event" -- "$2") ;;
	-s | --sort) [ "$4" != top ] || { mapfile -t COMPREPLY < <(compgen -W "bytes count growth churn name" -- "$2"); return; }
		_kmemtrace_user_list "$2" ptr page callsite bytes hit pingpong frag order migtype gfp ;;
	--symfs) _kmemtrace_user_paths; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	--suppressions | --vmlinux | --html | -o | --output | -i | --input)
		_kmemtrace_user_paths
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		;;
	-m | --buffer | --subbufs | --subbuf-size | --stack-depth | --stack-bytes | --min-size | --duration | \
		--to | --rotate | --keep | -l | --listen | -n | --lines | --rounds | -d | --delay | --older | --site | --from | --callee | --focus | --ignore | --percent-limit | \
		--at | --between | --cpu | --tid | --steps | --temporary | --max-memory | --time | --line | --fail-if) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

# _kmemtrace_user_after_dashes: what stands behind -- is another command's.
_kmemtrace_user_after_dashes() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] && return 0
	done
	return 1
}

_kmemtrace_user() {
	local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	# The shell takes "--by=st" for three words.
	case $before$word in
	--*=) before=${before%=} word='' ;;
	=*) [ "$COMP_CWORD" -lt 3 ] || before=${COMP_WORDS[COMP_CWORD - 2]} ;;
	esac
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_commands "$tool") --help --version" -- "$word")
		return
	fi
	if _kmemtrace_user_after_dashes; then
		_kmemtrace_user_paths
		mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
		return
	fi
	if [ "${COMP_WORDS[1]}" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_commands "$tool")" -- "$word")
		return
	fi
	_kmemtrace_user_value "$before" "$word" "$tool" "${COMP_WORDS[1]}" && return
	case $word in
	-*) mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_options "$tool" "${COMP_WORDS[1]}")" -- "$word") ;;
	*)
		_kmemtrace_user_paths
		mapfile -t COMPREPLY < <(_kmemtrace_user_files "$word"
			[ "${COMP_WORDS[1]}" != frag ] || compgen -W "rounding slab page" -- "$word")
		;;
	esac
	[ "${COMP_WORDS[1]}" != query ] || [[ $word == -* ]] ||
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(_kmemtrace_user_queries "$tool")" -- "$word")
}

complete -F _kmemtrace_user kmemtrace-user
