package webhook

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// delays are the times between the attempts of a delivery, as Standard Webhooks recommends them: ten attempts in a little more than
// three days.
func delays() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// Attempts is the maximum number of attempts of a delivery.
const Attempts = 10

const (
	// jitter is the share of a delay that is added at random, so that deliveries that failed together do not return together.
	jitter = 0.1
	// maxRetryAfter bounds the wait that a receiver may ask for.
	maxRetryAfter = 24 * time.Hour
)

// Next returns when a delivery is attempted again after the given number of failed attempts. ok is false after the last one. A
// receiver that responds with 429, 502, 503 or 504 can delay the attempt by Retry-After, for at most a day.
func Next(failed int, at time.Time, answer *http.Response) (next time.Time, ok bool) {
	all := delays()
	if failed < 1 || failed > len(all) {
		return time.Time{}, failed < 1
	}
	delay := all[failed-1]
	delay += time.Duration(rand.Float64() * jitter * float64(delay))
	if asked, stated := retryAfter(at, answer); stated {
		delay = max(delay, min(asked, maxRetryAfter))
	}
	return at.Add(delay), true
}

// retryAfter returns the wait that the header Retry-After of a response states, in seconds or as a date.
func retryAfter(at time.Time, answer *http.Response) (wait time.Duration, stated bool) {
	if answer == nil {
		return 0, false
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(at)), true
	}
	return 0, false
}
