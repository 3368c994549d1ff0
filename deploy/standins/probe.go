// Probe replaces wget and curl in the stand-in images: it sends a GET request to the URL
// in its last argument, and fails if there is no response or its status is 500 or above.
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
		err = fmt.Errorf("status %s", answer.Status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
