# In the machine: a reader whose provisioning window is opened by a button on the kernel's simulated gpiochip. There is
# neither a controller nor a supplicant: the button does not need them.
. Tests/Kernel/guest/common.sh

chip=/sys/kernel/config/gpio-sim/button
modprobe configfs
mount -t configfs configfs /sys/kernel/config
insmod "$KERNEL/extra/irq_sim.ko"
insmod "$KERNEL/extra/gpio-sim.ko"
mkdir -p "$chip/bank/line0"
echo 1 >"$chip/bank/num_lines"
echo PROVISION >"$chip/bank/line0/name"
plug() {
    echo 1 >"$chip/live"
    pull=/sys/devices/platform/$(<"$chip/dev_name")/$(<"$chip/bank/chip_name")/sim_gpio0/pull
    within 20 test -e "/dev/$(<"$chip/bank/chip_name")"
}
press() { echo pull-down >"$pull"; }
release() { echo pull-up >"$pull"; }
control() { "$READERD" "$@" --control /tmp/control.sock; }
status_has() { [[ $(control status --json) == *"$1"* ]]; }
opened() { grep --count 'provisioning: open for 60 s (the button)' /out/readerd; }

check "the chip is there" plug
printf '%s\n' '[provisioning]' 'wifi = "wpa-supplicant:/run/none"' 'window-s = 60' 'button = "PROVISION"' >/tmp/readerd.toml
"$READERD" run --config /tmp/readerd.toml --hci tcp-client:127.0.0.1:1 --state /tmp/state --control /tmp/control.sock \
    >/out/readerd 2>&1 &
reader=$!
check "the reader runs, its window is closed" within 20 status_has '"provisioning":{"open":false'

# Shorter than 50 ms, as a contact chatters.
press
release
sleep 1
check "a touch does not open it" test "$(opened)" = 0
press
sleep 0.5
release
check "a press opens it" status_has '"provisioning":{"open":true,"opened-by":"button"'
check "once" test "$(opened)" = 1
check "and it can be closed" control provisioning close

# The driver goes with its chip, and comes back.
echo 0 >"$chip/live"
check "the loss of the line is told" says /out/readerd "provisioning.button: " 20
plug
sleep 6
press
sleep 0.5
release
check "a press opens it again when the line is back" test "$(opened)" = 2
finish "$reader"
check "the reader ends in order" test $? -eq 0
