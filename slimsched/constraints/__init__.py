"""Node constraints: one predicate form, several languages, evaluated into node bitmaps.

``predicate`` is the form, ``columns`` the node data, ``evaluate`` the cached evaluation, ``explain`` the
reason why a node fails. Each language is a file of its own that only knows how to read and write the form;
``dialects`` lists them.
"""
