package subscriber_test

import (
	"context"
	"fmt"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/subscriber"
)

// This program notifies the owners of files. It can be stopped and restarted at any time. It then
// continues where it stopped, and does not notify an owner twice.
func Example() {
	if err := analyzeTwoFiles(); err != nil { // in production, Assay publishes the outcomes
		fmt.Println(err)
		return
	}

	ctx, stop := context.WithCancel(context.Background()) // in main: signal.NotifyContext
	defer stop()
	notified := 0
	err := subscriber.Run(ctx, subscriber.Config{
		URL:  natsURL, // for a running system, NATS_URL of "assay env"
		Name: "mailer",
		Area: "textfile",
	}, func(ctx context.Context, o subscriber.Outcome) error {
		switch {
		case o.Completed != nil:
			fmt.Printf("To %s: %s has %.0f words.\n", o.Owner, o.Completed.Name, o.Completed.GetTextStatistics().TotalWords)
		case o.Failed != nil:
			fmt.Printf("To %s: %s could not be read: %s.\n", o.Owner, o.Failed.Name, o.Failed.ErrorMessage)
		}
		if notified++; notified == 2 {
			stop()
		}
		return nil // a returned error makes the handler run again after a pause
	})
	if err != nil {
		fmt.Println(err)
	}

	// Output:
	// To ann: poem.txt has 120 words.
	// To ann: photo.txt could not be read: it looks like a JPEG.
}

func analyzeTwoFiles() error {
	analyzer, err := openAssay(natsURL)
	if err != nil {
		return err
	}
	defer analyzer.Close()
	err = analyzer.Publish(context.Background(), event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: "textfile", Id: "1", OwnerId: "ann", Name: "poem.txt",
		Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{TotalWords: 120}},
	}))
	if err != nil {
		return err
	}
	return analyzer.Publish(context.Background(), event.NewAnalysisFailed(&event.AnalysisFailed{
		Area: "textfile", Id: "2", OwnerId: "ann", Name: "photo.txt", ErrorMessage: "it looks like a JPEG",
	}))
}
