#!/bin/sh
# Runs rustc as cargo wants it, but for `-C metadata`: cargo puts the folder's path into it, which orders the module's
# functions. A package's name and version tell it apart as well. cargo calls this as `RUSTC_WRAPPER`.
rustc=$1
shift
for argument; do
    shift
    case $argument in
        metadata=*) argument="metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION" ;;
        -Cmetadata=*) argument="-Cmetadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION" ;;
    esac
    set -- "$@" "$argument"
done
exec "$rustc" "$@"
