"""Priority plugins: the number by which pending jobs are ordered, higher first."""
