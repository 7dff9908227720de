#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starts the tracer, before udev loads other modules, if the kernel's command line has kmemtrace.enable=1. modprobe itself reads
# the module's parameters there. dracut sources this file.
case " $(cat /proc/cmdline) " in
*" kmemtrace.enable=1 "*) modprobe kmemtrace ;;
esac
