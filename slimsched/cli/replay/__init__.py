"""The commands that replay recorded workloads and compare what comes of them."""
