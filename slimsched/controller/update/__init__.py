"""Changes of jobs, nodes, partitions and reservations: ``scontrol update`` and ``create``, one row a key."""
