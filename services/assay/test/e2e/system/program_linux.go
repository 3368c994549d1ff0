package system

import "syscall"

// endsWithParent makes a program that does not read its standard input end with the tests.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
