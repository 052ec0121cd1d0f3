"""The commands: each reads its options, calls the controller and hands the answer to `render`."""
