# SPDX-License-Identifier: GPL-2.0-or-later
#
# To be sourced by shell tests. Each check prints a line of TAP ("ok 3 - what"), as the unit tests do,
# and tests/check counts them. A script ends with tap_end.

tap_count=0
tap_failed=0

# tap_result NAME STATUS: STATUS 0 is a pass.
tap_result() {
	tap_count=$((tap_count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $tap_count - $1"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $1"
	fi
}

# tap_ok NAME COMMAND…: passes if COMMAND succeeds; otherwise shows its output.
tap_ok() {
	local name=$1 output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	tap_result "$name" "$status"
	[ "$status" -eq 0 ] || tap_note "$* -> $status" "$output"
}

# tap_is NAME GOT EXPECTED
tap_is() {
	if [ "$2" = "$3" ]; then
		tap_result "$1" 0
	else
		tap_result "$1" 1
		tap_note "got:      $2" "expected: $3"
	fi
}

# tap_like NAME GOT PATTERN: PATTERN is an extended regular expression.
tap_like() {
	if grep -qE -- "$3" <<<"$2"; then
		tap_result "$1" 0
	else
		tap_result "$1" 1
		tap_note "got:      $2" "expected: /$3/"
	fi
}

# tap_fails NAME CODE PATTERN COMMAND…: COMMAND ends with CODE and one line on stderr that fits PATTERN.
tap_fails() {
	local name=$1 code=$2 pattern=$3 output status=0
	shift 3
	output=$("$@" 2>&1 >/dev/null) || status=$?
	tap_is "$name: exit code" "$status" "$code"
	tap_is "$name: one line" "$(grep -c . <<<"$output")" 1
	tap_like "$name: says why" "$output" "$pattern"
}

# tap_between NAME GOT LOW HIGH: GOT is an integer from LOW to HIGH.
tap_between() {
	if [ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		tap_result "$1" 0
	else
		tap_result "$1" 1
		tap_note "got:      $2" "expected: $3 to $4"
	fi
}

tap_skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# tap_needs NAME COMMAND…: ends the script with the test NAME skipped, unless each COMMAND is installed.
tap_needs() {
	local name=$1 command
	shift
	for command; do
		command -v "$command" >/dev/null && continue
		tap_skip "$name" "$command is missing (tests/setup check installs it)"
		tap_end
		exit
	done
}

tap_note() {
	printf '%s\n' "$@" | sed 's/^/# /'
}

tap_end() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
