//go:build !(linux && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x))

package dynamolite

import (
	"errors"
	"os"
)

const (
	journaled    = false
	addressSpace = 0
)

func lockFile(*os.File) error { return errors.ErrUnsupported }

func syncData(*os.File) error { return errors.ErrUnsupported }
