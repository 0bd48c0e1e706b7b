# Runs a redis-server in a folder of its own until standard input ends, as it does when whoever holds it dies, and leaves
# nothing behind. `$1` is the program, `$2` the port.
trap '' INT HUP TERM
folder=$(mktemp -d) || exit 1
"$1" --port "$2" --bind 127.0.0.1 --dir "$folder" --save '' --appendonly no </dev/null >/dev/null 2>&1 &
read -r _
kill -9 $!
wait
rm -rf "$folder"
