package subscriber_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/assay-project/assay/pkg/subscriber"
)

// This program notifies the owners of text files. It can be stopped and restarted at any time. It then
// continues where it stopped, and does not notify an owner twice.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := subscriber.Run(ctx, subscriber.Config{
		URL:  "nats://127.0.0.1:4222", // NATS_URL of "assay env"
		Name: "mailer",
		Area: "textfile",
	}, func(_ context.Context, o subscriber.Outcome) error {
		switch {
		case o.Completed != nil:
			fmt.Printf("To %s: %s has %.0f words.\n", o.Owner, o.Completed.Name, o.Completed.GetTextStatistics().TotalWords)
		case o.Failed != nil:
			fmt.Printf("To %s: %s could not be read: %s.\n", o.Owner, o.Failed.Name, o.Failed.ErrorMessage)
		}
		return nil // a returned error makes the handler run again after a pause
	})
	if err != nil {
		fmt.Println(err)
	}
}
