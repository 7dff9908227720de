# SPDX-License-Identifier: GPL-2.0-or-later
#
# To be sourced by scripts that run in a guest, as root, in the project's folder.

. tests/tap.sh

release=$(uname -r)
modules=build/$release
tool=$PWD/build/kmemtrace-user
helpers=$PWD/build/user-stacks	# programs of tests/vm/user
debugfs=/sys/kernel/debug
control=/sys/kernel/kmemtrace	# settings
views=$debugfs/kmemtrace	# read-only files
work=$(mktemp -d)
shared=$KMEMTRACE_VM_SHARED	# a folder of the host, at the same path as there
exec {never}<> <(:)	# a descriptor that never becomes readable

# on_host COMMAND…: has the host run COMMAND in the same folder as here, and passes on its output and status. If the guest is
# emulated, this takes a tenth of the time. Arguments that name files below $work, or traces and databases in $work when that is the
# current folder, stand for their copies in $shared: files that COMMAND creates exist only there.
on_host() {
	local asked=/run/kmemtrace-vm/asked/$BASHPID-$SRANDOM words=() word copy text
	for word; do
		[ "$PWD" != "$work" ] || [[ $word != [!/]*.@(kmt|db) ]] || word=$work/$word
		if [[ $word == "$work"/* ]]; then
			copy=$shared/${word#"$work"/}
			[ ! "$word" -nt "$copy" ] || { mkdir -p "${copy%/*}" && cp -p "$word" "$copy"; }
			word=$copy
		fi
		words+=("$word")
	done
	printf '%s\0' "${words[@]}" >"$asked.argv"
	{ : >"$asked.go"; } 2>/dev/null # the host may see the file, and be done, before the open returns here
	"$helpers/await" "$asked.status"
	# The builtin read starts no process.
	IFS= read -rd '' text <"$asked.out"
	printf '%s' "$text"
	IFS= read -rd '' text <"$asked.err"
	printf '%s' "$text" >&2
	read -r text <"$asked.status"
	return "$text"
}

# look COMMAND…: runs a command of the tool that only reads a trace or a database.
look() { on_host "$tool" "$@"; }

# A test's first argument may be the source of events, "bpf" or "module".
source=module
case ${1:-} in
module|bpf) source=$1; shift ;;
esac

# A kernel built here comes with its own module.
insert_tracer() {
	if [ $source = bpf ]; then
		return
	elif [ -e "$modules/kmemtrace.ko" ]; then
		insmod "$modules/kmemtrace.ko" "$@"
	else
		modprobe kmemtrace "$@"
	fi
}

remove_tracer() { [ $source = bpf ] || rmmod kmemtrace; }

# record ARGUMENTS…: the tool's command, with the source of this test.
record() { "$tool" record --source $source "$@"; }

# start_load: keeps every CPU allocating until stop_load, except between pause_load and resume_load.
start_load() {
	setsid stress-ng --quiet --fork "$(nproc)" --temp-path /tmp --timeout 3000 &
	load_pid=$!
	until pgrep -x stress-ng-fork -P "$load_pid" >/dev/null; do
		kill -0 "$load_pid" 2>/dev/null || break
		sleep 0.1
	done
}

pause_load() { kill -STOP -- "-$load_pid"; }
resume_load() { kill -CONT -- "-$load_pid"; }

stop_load() {
	kill "$load_pid" 2>/dev/null
	kill -CONT -- "-$load_pid" 2>/dev/null
	wait "$load_pid" 2>/dev/null
	return 0
}

# The kernel's complaints since boot. Two lines that every out-of-tree module causes are no complaint, nor is the message
# that a recorder thread runs elsewhere when its CPU goes offline.
kernel_complaints() {
	local complaints

	complaints=$(dmesg | grep -E 'BUG|WARNING|INFO: |KASAN|Oops|Call Trace|general protection|soft lockup|detected stall|rcu_sched|kmemtrace' |
		grep -vE 'loading out-of-tree module|module verification failed|Linux version|[Cc]ommand line:|no longer affine to cpu')
	[ -n "$complaints" ] || return 0
	echo "$complaints"
	dmesg | grep -F -m 1 -A 50 -e "${complaints%%$'\n'*}" | sed 's/^/# /' >&2
}

# may_lose_few: whether a few losses are inevitable. BPF programs lose events of a hardirq in a softirq in a thread if each of them records
# an event, and if threads are preempted between programs (fast SRCU). On arm64 without rethooks (6.1, 6.12), the module misses calls by an
# interrupt while it records what a function returned.
may_lose_few() {
	[ $source = bpf ] || { [ "$(uname -m)" = aarch64 ] && ! grep -q ' rethook_try_get$' /proc/kallsyms; }
}

# lost_few DB: whether all that DB lacks are few events, and may_lose_few. They are few if they are 50 and one in 20,000: a call that
# is missed may free 32 objects, and with a filter, most of the traced events are not recorded. On a busy host more contexts nest.
lost_few() {
	may_lose_few && [ "$(sql "$1" "SELECT total(count) = total(CASE reason WHEN 'recursion' THEN count END) AND
		total(count) <= 50 + (SELECT sum(count) FROM events) / 20000 FROM losses")" = 1 ] &&
		grep -qE '^Trust: INCOMPLETE: [0-9,]+ events? w(as|ere) lost: [^;]*$' <<<"$(look report "$1" 2>/dev/null)"
}

# lost_nothing NAME STATUS LOG TRACE: passes if STATUS, the exit status of record, is 0. Else it shows what record wrote to LOG,
# and the losses of each CPU in TRACE with their reasons.
lost_nothing() {
	rm -f "$shared/lost.db"
	[ "$2" -eq 0 ] || look load "$4" -o "$work/lost.db" >/dev/null 2>&1
	if [ "$2" -eq 3 ] && lost_few "$work/lost.db"; then
		tap_ok "$1: nearly" true
	else
		tap_is "$1" "$2" 0
	fi
	[ "$2" -ne 0 ] || return 0
	tap_note "$(cat "$3")"
	tap_note "$(sql "$work/lost.db" "SELECT cpu, reason, count, unit FROM losses WHERE count > 0" 2>&1)"
	rm -f "$shared/lost.db"
}

# sql DB STATEMENT: prints the rows with a space between columns. Reads the host's copy of DB if there is one.
sql() {
	if [ -e "$shared/${1#"$work"/}" ]; then
		# shellcheck disable=SC2016 # a script
		on_host bash -o pipefail -c '"$@" | sed "1d; s/,/ /g"' sql "$tool" query --csv "$@"
	else
		"$tool" query --csv "$@" | sed '1d; s/,/ /g'
	fi
}

# gaps DB: the number of sub-buffers missing between others.
gaps() {
	sql "$1" "SELECT coalesce(sum(count), 0) FROM loss"
}

# fails NAME CODE PATTERN COMMAND…: COMMAND exits with CODE and prints one line that fits PATTERN.
fails() {
	local name=$1 code=$2 pattern=$3 output status=0
	shift 3
	output=$("$@" 2>&1) || status=$?
	tap_is "$name: exit code" "$status" "$code"
	tap_is "$name: one line" "$(wc -l <<<"$output")" 1
	tap_like "$name: says why" "$output" "$pattern"
}
