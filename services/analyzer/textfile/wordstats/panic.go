package wordstats

import (
	"errors"
	"fmt"
)

// panicError is a panic on its way from one goroutine to the one that waits for it:
// no goroutine of this package ends the process where its caller could continue.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprint(e.value) }

// catch calls f and returns a panic as a *panicError.
func catch(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return f()
}

// rethrow panics as the goroutine did whose error is a *panicError.
func rethrow(err error) {
	if p, ok := errors.AsType[*panicError](err); ok {
		panic(p.value)
	}
}
