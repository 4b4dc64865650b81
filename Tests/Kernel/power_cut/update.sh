# In the machine: a reader whose state is on the disk and whose controller is on the host, until the power goes.
modprobe -a virtio_blk ext4
mkdir -p /state
mount -t ext4 /dev/vda /state || exit 90
mkdir -p /state/reader
# The subject of the pushed configurations, which they may change.
printf '[reader]\ndoor-id = 7\nphones-may-set = ["reader.utc-offset-minutes"]\n' >/tmp/readerd.toml
[[ ! -e /state/reader/events.db ]] || "$READERD" events --state /state/reader --verify --json >/out/verified 2>&1
exec "$READERD" run --config /tmp/readerd.toml --hci "tcp-client:$HOST:$READER_PORT" --state /state/reader --log-level debug
