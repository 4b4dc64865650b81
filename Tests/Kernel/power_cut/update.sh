# In the machine: a reader whose state is on the disk and whose controller is on the host, until the power goes.
modprobe -a virtio_blk ext4
mkdir -p /state
mount -t ext4 /dev/vda /state || exit 90
mkdir -p /state/reader
[[ ! -e /state/reader/events.db ]] || "$READERD" events --state /state/reader --verify --json >/out/verified 2>&1
exec "$READERD" run --hci "tcp-client:$HOST:$READER_PORT" --state /state/reader --log-level debug
