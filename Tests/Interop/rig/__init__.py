"""The interop rig: a virtual air, phones that know only the published protocol, and the reader as a process."""
