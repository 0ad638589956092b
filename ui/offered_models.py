from functools import partial

from core.models.checkpoints.model_packages import MODEL_PACKAGES
from core.models.offers import Offer


def offers():
    return {
        p.package: Offer(p.package, p.name, "model", partial(p.open))
        for p in MODEL_PACKAGES.values()
        if p.is_installed
    }
