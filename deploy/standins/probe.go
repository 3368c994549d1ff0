// Probe stands in for the wget and curl of the public images, in stand-ins that
// have neither: it asks the URL that is its last argument. Like curl it takes
// any answer below 500.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	client := &http.Client{Timeout: 3 * time.Second}
	answer, err := client.Get(os.Args[len(os.Args)-1])
	if err == nil && answer.StatusCode >= http.StatusInternalServerError {
		err = fmt.Errorf("the answer is %s", answer.Status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
