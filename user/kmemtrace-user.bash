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
	for name in stack site module cache process thread kind cpu node order size function; do
		[[ $help != *" $name "* ]] || echo "$name"
	done
}

# Names of files, cgroups, caches and users come from others and may be shell commands. Each of them reaches the command line by
# _kmemtrace_user_files or _kmemtrace_user_names, which have it quoted. Names are separated by NUL: they may have newlines.

# _kmemtrace_user_plain RAW: sets word to what the shell makes of RAW, and quote to the quote that RAW begins with and does not close.
# Returns 1 if the shell would expand something in RAW, or if the open quote is not its first character.
_kmemtrace_user_plain() {
	local raw=$1 i c
	word='' quote=''
	for ((i = 0; i < ${#raw}; i++)); do
		c=${raw:i:1}
		case $quote$c in
		\' | \") [ "$i" -eq 0 ] || [[ ${raw:i+1} == *"$c"* ]] || return 1
			quote=$c ;;
		"''" | '""') quote='' ;;
		'$' | '`' | '"$' | '"`') return 1 ;;
		\\) i=$((i + 1)) word+=${raw:i:1} ;;
		\"\\) case ${raw:i+1:1} in
			[\"\\\$\`]) i=$((i + 1)) word+=${raw:i:1} ;;
			*) word+=$c ;;
			esac ;;
		*) word+=$c ;;
		esac
	done
	case $raw in
	\~/*) word=$HOME${word#\~} ;;
	\~*) return 1 ;;
	esac
}

# _kmemtrace_user_glob KIND WORD: files that begin with WORD; KIND is all, folders, or traces (with databases and folders).
_kmemtrace_user_glob() (
	set +f
	shopt -s nullglob
	shopt -u failglob nocaseglob dotglob
	unset GLOBIGNORE
	for name in "$2"*; do
		case $1:${name##*/} in
		*:. | *:..) continue ;;
		all:* | traces:*.kmt | traces:*.db) ;;
		*) [ -d "$name" ] || continue ;;
		esac
		printf '%s\0' "$name"
	done
)

# _kmemtrace_user_files KIND WORD: offers what _kmemtrace_user_glob finds. Readline quotes it, and knows the quote that is open.
_kmemtrace_user_files() {
	local i
	mapfile -d '' -t COMPREPLY < <(_kmemtrace_user_glob "$@")
	for i in "${!COMPREPLY[@]}"; do
		case ${COMPREPLY[i]} in
		-* | \~*) COMPREPLY[i]=./${COMPREPLY[i]} ;;	# neither an option nor somebody's home
		esac
	done
	compopt -o filenames 2>/dev/null || true
}

# _kmemtrace_user_names WORD: offers the names of input that begin with WORD, quoted. (compgen -W would run what is in them.)
_kmemtrace_user_names() {
	local name
	COMPREPLY=()
	while IFS= read -r -d '' name; do
		[[ $name == "$1"* ]] || continue
		case ${quote-} in
		\') name=${name//\'/"'\\''"} ;;
		\") name=${name//\\/\\\\} name=${name//\"/\\\"} name=${name//\$/\\\$} name=${name//\`/\\\`}
			name=${name//\!/'"\!"'} ;;	# ! is taken from the history, even here
		*) printf -v name %q "$name" ;;
		esac
		# Readline does not close a quote behind one.
		[ -z "${quote-}" ] || [[ $name != *"$quote" ]] || name+=$quote
		COMPREPLY+=("$name")
	done
}

# _kmemtrace_user_value OPTION WORD TOOL COMMAND: what may be its value; 1 if it takes none that is known.
_kmemtrace_user_value() {
	case $1 in
	-e | --event) _kmemtrace_user_list "$2" slab page percpu vmalloc frag buddy ;;
	-p | --pid) _kmemtrace_user_list "$2" $(cd /proc && compgen -G '[0-9]*') ;;
	-G | --cgroup) _kmemtrace_user_names "${2#/}" < <(cd "${KMEMTRACE_CGROUP:-/sys/fs/cgroup}" 2>/dev/null &&
		_kmemtrace_user_glob folders "${2#/}") ;;
	--cache) _kmemtrace_user_names "$2" < <(find "${KMEMTRACE_SLAB:-/sys/kernel/slab}" -mindepth 1 ! -name ':*' -printf '%f\0' 2>/dev/null) ;;
	--user) _kmemtrace_user_names "$2" < <(compgen -u -- "$2" | tr '\n' '\0') ;;
	--sample) mapfile -t COMPREPLY < <(compgen -W "2 4 8 16 32 64 128 256 512 1024" -- "$2") ;;
	-z | --compression-level) mapfile -t COMPREPLY < <(compgen -W "0 1 3 9 19" -- "$2") ;;
	--metric) mapfile -t COMPREPLY < <(compgen -W "bytes count live live-count peak peak-count waste temporary byte-seconds lived" -- "$2") ;;
	-f | --format) mapfile -t COMPREPLY < <(compgen -W "folded speedscope pprof dhat perfetto csv html dot" -- "$2") ;;
	--fold) mapfile -t COMPREPLY < <(compgen -W "module subsystem" -- "$2") ;;
	--by) mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_by "$3" "$4")" -- "$2") ;;
	--shape) mapfile -t COMPREPLY < <(compgen -W "linear plateau sawtooth freed_at_end late steady orphaned" -- "$2") ;;
	--source) mapfile -t COMPREPLY < <(compgen -W "auto module bpf" -- "$2") ;;
	--color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$2") ;;
	--cross) mapfile -t COMPREPLY < <(compgen -W "cpu thread node" -- "$2") ;;
	-k | --kind) mapfile -t COMPREPLY < <(compgen -W "slab page percpu vmalloc" -- "$2") ;;
	--per) mapfile -t COMPREPLY < <(compgen -W "total second event" -- "$2") ;;
	-s | --sort) [ "$4" != top ] || { mapfile -t COMPREPLY < <(compgen -W "bytes count growth churn name" -- "$2"); return; }
		_kmemtrace_user_list "$2" ptr page callsite bytes hit pingpong frag order migtype gfp ;;
	--symfs) _kmemtrace_user_files folders "$2" ;;
	--suppressions | --vmlinux | --html | -o | --output | -i | --input) _kmemtrace_user_files all "$2" ;;
	-m | --buffer | --subbufs | --subbuf-size | --stack-depth | --stack-bytes | --min-size | --duration | \
		--send | --to | --rotate | --keep | -l | --listen | -n | --lines | --rounds | -d | --delay | --older | --site | --from | --callee | --stack | --module | --process | --thread | --node | --order | --size | --age | --focus | --ignore | --percent-limit | \
		--address | --at | --between | --cpu | --tid | --steps | --temporary | --max-memory | --first | --end | --time | --line | --fail-if) COMPREPLY=() ;;
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
	local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} quote=''
	COMPREPLY=()
	# The shell takes "--by=st" for three words.
	case $before$word in
	--*=) before=${before%=} word='' ;;
	=*) [ "$COMP_CWORD" -lt 3 ] || before=${COMP_WORDS[COMP_CWORD - 2]} ;;
	esac
	if ! _kmemtrace_user_plain "$word"; then
		compopt -o bashdefault 2>/dev/null || true	# which expands no command
		return
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_kmemtrace_user_commands "$tool") --help --version" -- "$word")
		return
	fi
	if _kmemtrace_user_after_dashes; then
		_kmemtrace_user_files all "$word"
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word")
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
		_kmemtrace_user_files traces "$word"
		[ "${COMP_WORDS[1]}" != frag ] ||
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "rounding slab page" -- "$word")
		;;
	esac
	[ "${COMP_WORDS[1]}" != query ] || [[ $word == -* ]] ||
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(_kmemtrace_user_queries "$tool")" -- "$word")
}

complete -F _kmemtrace_user kmemtrace-user
