"""birdfoot shell on a terminal: lines, completion, history, Ctrl-C."""
import os
import pathlib
import pty
import select
import time

import pytest

BUILD = pathlib.Path(os.environ.get("BIRDFOOT_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build" / "release"))


class Terminal:
    def __init__(self, history):
        self.unread = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", BIRDFOOT_HISTORY=str(history))
            os.execv(BUILD / "birdfoot", ["birdfoot", "shell"])

    def expect(self, text, seconds=30):
        """Reads until `text` has come; what stands behind it is read next time."""
        wanted, end = text.encode(), time.monotonic() + seconds
        while wanted not in self.unread:
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} did not come, but {self.unread!r}")
            self.unread += os.read(self.descriptor, 65536)
        self.unread = self.unread[self.unread.index(wanted) + len(wanted):]

    def send(self, text):
        os.write(self.descriptor, text.encode())

    # libedit prompts a moment before it takes the terminal over, and loses a control character typed in between: Ctrl-C is
    # pressed again, and the end is no Ctrl-D.
    def interrupt(self, answer):
        for _ in range(10):
            self.send("\x03")
            try:
                return self.expect(answer, seconds=3)
            except AssertionError as late:
                error = late
        raise error

    def end(self):
        self.send(".quit\n")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal(tmp_path):
    terminal = Terminal(tmp_path / "history")
    terminal.expect("birdfoot> ")
    yield terminal
    os.close(terminal.descriptor)


def test_a_session(terminal, tmp_path):
    terminal.send("SELECT 4141 + 101\n")
    terminal.expect("...> ")
    terminal.send("AS answer;\n")
    terminal.expect("4242")
    terminal.expect("birdfoot> ")
    terminal.send(".format json\n")
    terminal.expect("birdfoot> ")
    terminal.send("SELECT 'é' AS x;\n")
    terminal.expect('{"x":"é"}')
    terminal.send("SELECT nothing;\n")
    terminal.expect("Binder Error")
    terminal.expect("birdfoot> ")
    assert terminal.end() == 0
    history = (tmp_path / "history").read_text()
    assert "answer" in history and "nothing" in history


def test_tab_completes(terminal):
    terminal.send("SELECT typeof(1) AS t, cou\t")
    terminal.expect("nt")
    terminal.send("(*) + 4240 AS n fr\t")
    terminal.expect("om")
    terminal.send(" range(2);\n")
    terminal.expect("4242")
    terminal.expect("birdfoot> ")
    assert terminal.end() == 0


def test_interrupt_gives_up_the_line_or_the_statement(terminal):
    terminal.send("SELECT half a statement\n")
    terminal.expect("...> ")
    terminal.interrupt("birdfoot> ")
    terminal.send("\x03\x03\x03")  # of somebody in a hurry: the shell lives on
    terminal.interrupt("birdfoot> ")
    terminal.send("SELECT count(*) FROM range(10000000) a, range(100000) b WHERE a.range * b.range % 7 = 3;\n")
    terminal.expect(";")
    time.sleep(1)
    terminal.send("\x03")
    terminal.expect("Interrupted.")
    terminal.expect("birdfoot> ")
    terminal.send("SELECT 606 * 7;\n")
    terminal.expect("4242")
    terminal.expect("birdfoot> ")
    assert terminal.end() == 0
