// Package contract has the tests that compare the adapters of paid providers with the
// official SDKs.
package contract
