"""Schedule: the event loop, the queue of jobs, the main pass, preemption."""
