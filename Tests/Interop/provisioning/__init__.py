"""The phone's half of Nordic's Wi-Fi provisioning, written from its published facts."""
