"""The entry point of the script ``sim``."""

# Nothing is imported at module level: Control-C during an import must also end with 130.


def spare() -> None:
    """Let the collector of garbage come seldom: a command takes milliseconds, and it would take a tenth of them."""
    import gc

    gc.set_threshold(500_000, 50, 50)  # more objects than the records of 10,000 jobs


def main() -> int:
    """Run the process's command line and end the process; 130 for an interrupt while modules are imported still."""
    try:
        spare()
        from slimsched.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # later ones come to `Application.guard`
        return 130
