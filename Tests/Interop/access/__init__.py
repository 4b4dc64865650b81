"""The access protocol from the phone's side, written from its published facts and independent of the Swift code."""
