# Laboratories beside the program: they read reports.
include lab/figure/local.mk
include lab/collection/local.mk
include lab/exercise/local.mk
include lab/study/local.mk
include lab/compare/local.mk
