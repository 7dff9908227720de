#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Adds the tracer's module to dracut's initramfs, if its kernel has one.

# shellcheck disable=SC2154 # dracut's variables

check() {
	modinfo -k "$kernel" kmemtrace >/dev/null 2>&1
}

installkernel() {
	hostonly='' instmods kmemtrace
}

install() {
	inst_hook cmdline 01 "$moddir/start.sh"
}
