"""The entry point of the script ``sim``."""

# Nothing is imported at module level: Control-C during an import must also end with 130.


def prepare() -> None:
    """Make the rest of a command's start short: garbage is collected seldom, what takes longest is imported quickly.

    A command takes milliseconds; the collector would take a tenth of them.
    """
    import gc

    gc.set_threshold(500_000, 50, 50)  # more objects than the records of 10,000 jobs
    from slimsched.text import quick_import

    quick_import.wanted = True
    quick_import.typing()


def main() -> int:
    """Run the process's command line and end the process; 130 for an interrupt while modules are imported still."""
    try:
        prepare()
        from slimsched.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # later ones come to `Application.guard`
        return 130
