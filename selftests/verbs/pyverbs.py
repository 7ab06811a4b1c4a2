#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs the test suite of rdma-core's pyverbs on a device. Prints TAP.

pyverbs.py TESTS-FOLDER SKIPS DEVICE GID-INDEX [NAME-PART]

The suite skips what a device says it does not support. SKIPS says what may be
skipped, and for want of which feature: a line for each, FEATURE<TAB>PATTERN of
the test's name. Any other skip is a failure, and so is a test of such a name
that does not skip, and a line without a test.
"""
import fnmatch
import os
import signal
import sys
import traceback
import unittest

PATIENCE = float(os.environ.get('PATIENCE', 1))
SECONDS = 60


class Late(BaseException):
    """A test takes too long; nothing in the suite catches this."""


def late(*_):
    raise Late(f'not done after {SECONDS * PATIENCE:g} s')


class Skips:
    def __init__(self, path):
        self.used = {}
        with open(path) as lines:
            for line in lines:
                if line.strip() and not line.startswith('#'):
                    feature, pattern = line.rstrip('\n').split('\t')
                    self.used[(feature, pattern)] = False

    def feature(self, name):
        for line in self.used:
            if fnmatch.fnmatchcase(name, line[1]):
                self.used[line] = True
                return line[0]
        return None

    def unused(self):
        return [line for line, used in self.used.items() if not used]


class Tap(unittest.TestResult):
    def __init__(self, skips):
        super().__init__()
        self.skips = skips
        self.nr = self.failed = self.skipped_nr = 0

    def say(self, passed, name, why=''):
        self.nr += 1
        self.failed += not passed
        print('ok' if passed else 'not ok', self.nr, name, flush=True)
        for line in (why or '').splitlines():
            print('#', line, flush=True)

    def startTest(self, test):
        super().startTest(test)
        signal.setitimer(signal.ITIMER_REAL, SECONDS * PATIENCE)

    def stopTest(self, test):
        signal.setitimer(signal.ITIMER_REAL, 0)
        super().stopTest(test)

    def addSuccess(self, test):
        feature = self.skips.feature(test.id())
        self.say(not feature, test.id(),
                 feature and f'passes: it is on the list for want of {feature}')

    def addError(self, test, err):
        self.say(False, test.id(), ''.join(traceback.format_exception(*err)))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err:
            self.addError(subtest, err)

    def addSkip(self, test, reason):
        feature = self.skips.feature(test.id())
        if feature:
            self.skipped_nr += 1
            self.say(True, f'{test.id()} # SKIP {feature}: {reason}')
        else:
            self.say(False, test.id(), f'skips, and should not: {reason}')


def each_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def run(test, tap):
    try:
        test.run(tap)
    except Late as err:
        signal.setitimer(signal.ITIMER_REAL, 0)
        tap.say(False, test.id(), str(err))


def main(folder, skips, device, gid, part=''):
    # Neither this file nor the source beside the suite is the pyverbs meant.
    sys.path[0] = folder
    sys.path.append(os.path.dirname(folder))
    signal.signal(signal.SIGALRM, late)
    sys.argv[1:] = ['--dev', device, '--gid', gid]
    from args_parser import parser
    parser.parse_args()
    others = 0
    tap = Tap(Skips(skips))
    print('TAP version 13')
    for file in sorted(os.listdir(folder)):
        if not (file.startswith('test_') and file.endswith('.py')):
            continue
        module = 'tests.' + file[:-3]
        suite = unittest.defaultTestLoader.loadTestsFromName(module)
        for test in each_test(suite):
            if file.startswith(('test_mlx5', 'test_efa')):
                others += 1
            elif part in test.id():
                run(test, tap)
    if not part:
        for feature, pattern in tap.skips.unused():
            tap.say(False, f'{pattern} is skipped for want of {feature}',
                    'no test of that name is: take the line off the list')
    print(f'1..{tap.nr}')
    print(f'# {others} tests of other drivers left out')
    print(f'# Totals: pass:{tap.nr - tap.failed - tap.skipped_nr} '
          f'fail:{tap.failed} skip:{tap.skipped_nr}', flush=True)
    return tap.failed > 0


if __name__ == '__main__':
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
