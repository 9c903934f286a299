#!/usr/bin/env bash
# Lays the release's own system over the boot image's.
set -euo pipefail

readonly system=/ostree/repo/tmp/node-image

# The kernel that runs is the boot image's, so its modules stay.
mount --options bind,ro /usr/lib/modules "${system}/usr/lib/modules"
mount --options rbind,ro "${system}/usr" /usr
rsync --archive "${system}/usr/etc/" /etc

semodule --reload
