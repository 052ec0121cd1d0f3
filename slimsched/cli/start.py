"""Where the script ``sim`` begins. Nothing is imported out here: Control-C must not find us without an answer."""


def main() -> int:
    """Run the process's command line and end the process; 130 for an interrupt while modules are imported still."""
    try:
        from slimsched.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # later ones come to `Application.guard`
        return 130
