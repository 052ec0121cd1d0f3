"""``sim sshare``: shares, usage and fair-share factors of accounts and users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.listing import check_clusters, document, form, print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD, Given, Option, Program
from slimsched.cli.sacct.accounting import columns, disabled, style_of
from slimsched.slurm.words import QUOTES

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.render.accounts.sshare import ShareRow

OPTIONS = (
    Option("accounts", "A", "accounts", "only these accounts"),
    Option("all", "a", help="all users (default: only you)"),
    Option("clusters", "M", "names", "clusters to ask"),
    Option("delimiter", "", "text", "separator of the values for -p and -P"),
    Option("helpformat", "e", help="list the fields"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("long", "l", help="more fields"),
    Option("noheader", "h", help="no header"),
    Option("", "n", help="no header", alias_of="noheader"),
    Option("format", "o", "format", "fields: Account%30,User"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("partition", "m", help="show the partitions of associations"),
    Option("users", "u", "users", "only these users"),
    Option("Users", "U", help="users only, no accounts"),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    PLAIN,
    *STANDARD,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the tree."""
    from slimsched.priority.fairshare import FairShare
    from slimsched.render.accounts import sshare

    if given.has("helpformat"):
        app.out(sshare.LINES.names())
        return 0
    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        check_clusters(app, given, cluster)
        weighed = cluster.config.get("PriorityType") == "priority/multifactor"
        lines: list[ShareRow] = []
        tree = FairShare(cluster)
        if weighed or not disabled(cluster):
            lines = [sshare.ShareRow(tree, share, weighed=weighed) for share in tree.rows()]
        forms = form(given)
        if forms:
            from slimsched.render.json import shares

            document(app, forms, shares.body(_chosen(given, _visible(cluster, lines))), cluster)
            return 0
        usual = sshare.usual(long=given.has("long"), partitions=given.has("partition"), fair=tree.fair)
        wanted = columns(sshare.LINES, ",".join(text.strip(QUOTES) for text in given.all("format")) or usual)
        shown = sshare.indented(_chosen(given, _visible(cluster, lines)))
        print_table(app, wanted, shown, style_of(given))
        from slimsched.controller.requests import strangers

        for option, kind in (("accounts", "account"), ("users", "user")):
            app.remarks += strangers.kept(cluster, kind, set(words(given.last(option) or "")) - {"-1"})
    return 0


def _visible(cluster: Cluster, lines: list[ShareRow]) -> list[ShareRow]:
    """Return the lines that ``PrivateData=usage`` leaves: one's own, and those of accounts that one leads."""
    from slimsched.controller.requests import rights, users
    from slimsched.model.account import Book

    if not rights.keeps_private(cluster, "usage"):
        return lines
    asker, book = users.invoking_name(), Book(cluster)
    return [line for line in lines if line.share.user == asker or asker in book.coordinators(line.share.account)]


def _chosen(given: Given, lines: list[ShareRow]) -> list[ShareRow]:
    """Return the lines that are asked for: the accounts, and one's own line or those of the users named."""
    from slimsched.controller.requests.users import invoking_name

    users = set(words(given.last("users") or "")) or {invoking_name()}
    accounts = {name.lower() for name in words(given.last("accounts") or "")}
    everybody = given.has("all") or users == {"-1"}
    return [
        line
        for line in lines
        if (not accounts or line.share.account in accounts)
        and (everybody or line.share.user in users if line.share.user else not given.has("Users"))
    ]


command = Program("sshare", OPTIONS, run, summary="Show shares, usage and fair-share factors")
