"""The CHIP controller against an emulated Matter device, over IP and BLE, without radio or outside network."""
