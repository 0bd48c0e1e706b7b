"""What the native module has. Checked against it by stubtest."""
