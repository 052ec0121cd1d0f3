"""Requests: what a request asks for, in numbers and texts, against a cluster alone; users, and limits of partitions."""
