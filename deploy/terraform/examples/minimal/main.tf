# Tables, buckets, the queue and the policies of one environment, with the names of the data model.
provider "aws" {
  region = "us-east-1"
}

module "assay" {
  source = "../.."

  environment  = "dev"
  bucket_names = var.bucket_names
}

variable "bucket_names" {
  description = "Names of the buckets, which are unique in all of AWS."
  type        = map(string)
  default     = {}
}

output "environment_variables" {
  value = module.assay.environment_variables
}
