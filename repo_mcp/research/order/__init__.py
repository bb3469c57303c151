"""Put the seeds of a question in order: which leads, what the best one lacks, what is rated as high."""
