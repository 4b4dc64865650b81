# In the machine: TEST on a gpiochip of the kernel. CHIP is gpio-sim or cp2112.
export PYTHONDONTWRITEBYTECODE=1
case $CHIP in
    gpio-sim)
        modprobe configfs
        mount -t configfs configfs /sys/kernel/config
        insmod "$KERNEL/extra/irq_sim.ko"
        insmod "$KERNEL/extra/gpio-sim.ko"
        ;;
    cp2112) modprobe -a uhid hid_cp2112 ;;
esac
mountpoint --quiet /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
mountpoint --quiet /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
"$PYTHON" "Tests/Kernel/gpio/$TEST" "$CHIP"
