// Package recovery proves that accepted work survives kills, outages and losses: it is redelivered, swept, or stored as
// a dead letter.
package recovery

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"sweep repairs":               sweepRepairs,
		"feed sweep repairs":          feedSweepRepairs,
		"loss of streams":             survivesLossOfAllStreams,
		"replay after an outage":      replayAfterAnOutage,
		"feed replay after an outage": feedItemsAreReplayedAfterAnOutage,
		"feed dead letters":           feedDeadLettersAreRestored,
		"photo sweep repairs":         photoSweepRepairs,
		"loss of photo streams":       photoBatchesSurviveALoss,
		"crashes are traced":          crashesAreTraced,
		"problems are traced":         problemsAreTraced,
	}
}
