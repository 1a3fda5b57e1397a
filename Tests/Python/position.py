"""The position of a caller's last write, as clients keep it from answer to request (docs/replicas.md)."""

UNKNOWN = "new"


class Position:
    def __init__(self):
        self.text, self.before = UNKNOWN, UNKNOWN

    def begin(self, method):
        """What the request carries. A change is nowhere until its answer says where."""
        carried = self.text
        if method != "GET":
            self.before, self.text = self.text, UNKNOWN
        return carried

    def end(self, method, told):
        """Takes what the answer says, if it does."""
        if told and method != "GET":
            self.text = told if self.before == UNKNOWN else max(self.before, told)
        elif told and self.text == UNKNOWN:
            self.text = told
