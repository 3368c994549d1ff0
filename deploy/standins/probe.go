// Command probe replaces wget and curl in the stand-in images, which have neither. It sends a GET to the URL in its last
// argument and fails for a status of 500 or above.
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
